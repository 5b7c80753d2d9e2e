import { isDark } from '../theme/theme.ts';

/** Names of MCP Apps for colours and fonts, with those of the page. */
const STYLES: Readonly<Record<string, string>> = {
  '--color-background-primary': '--c-surface',
  '--color-background-secondary': '--c-sunken',
  '--color-background-danger': '--c-danger-soft',
  '--color-background-success': '--c-ok-soft',
  '--color-background-warning': '--c-warn-soft',
  '--color-text-primary': '--c-text',
  '--color-text-secondary': '--c-muted',
  '--color-text-info': '--c-accent',
  '--color-text-danger': '--c-danger',
  '--color-text-success': '--c-ok',
  '--color-text-warning': '--c-warn',
  '--color-border-primary': '--c-line-strong',
  '--color-border-secondary': '--c-line',
  '--color-ring-primary': '--c-accent',
};

/** Colours of the page for a view. They change together. */
export function lookOfPage(): { readonly theme: 'dark' | 'light'; readonly styles: object } {
  const page = getComputedStyle(document.documentElement);
  const variables = Object.entries(STYLES).map(([name, own]) => [name, page.getPropertyValue(own).trim()]);
  return {
    theme: isDark() ? 'dark' : 'light',
    styles: { variables: { ...Object.fromEntries(variables), '--font-sans': 'system-ui, sans-serif' } },
  };
}

/** Calls `listener` after the colours of the page changed. Returns a function that ends it. */
export function onLookChange(listener: () => void): () => void {
  let last = JSON.stringify(lookOfPage());
  const observer = new MutationObserver(() => {
    const present = JSON.stringify(lookOfPage());
    if (present === last) return;
    last = present;
    listener();
  });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'style'] });
  return () => observer.disconnect();
}

/** Calls `listener` with the width of an element in pixels, after it changed. Returns a function that ends it. */
export function onWidthChange(element: Element, listener: (width: number) => void): () => void {
  let last = Math.round(element.getBoundingClientRect().width);
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? last);
    if (width === last || width === 0) return;
    last = width;
    listener(width);
  });
  observer.observe(element);
  return () => observer.disconnect();
}
