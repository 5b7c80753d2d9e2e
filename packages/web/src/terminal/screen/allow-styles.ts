import { pageNonce } from '../../app/nonce.ts';

/**
 * Calls `open`, which creates style elements by the document of the page; they get the nonce of the content security policy. xterm 6.0 uses that
 * document for some of them in spite of its option `documentOverride`.
 */
export function withStyleNonce(open: () => void): void {
  const createElement = (name: string): HTMLElement => {
    const element = Document.prototype.createElement.call(document, name);
    if (element instanceof HTMLStyleElement) element.nonce = pageNonce();
    return element;
  };
  Reflect.defineProperty(document, 'createElement', { value: createElement, configurable: true });
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/**
 * Lets spans take styles by `setAttribute`, through the CSSOM: the DOM renderer of xterm sets the colours of text so, and a content security policy
 * without `unsafe-inline` would refuse them. The policy still refuses `style` in parsed HTML. Calling it again does nothing.
 */
export function allowSpanStyles(): void {
  if (Object.hasOwn(HTMLSpanElement.prototype, 'setAttribute')) return;
  HTMLSpanElement.prototype.setAttribute = function (
    this: HTMLSpanElement,
    name: string,
    value: string,
  ): void {
    if (name === 'style') this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}
