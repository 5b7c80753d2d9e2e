import { type ViewDomains, viewDomains } from '@agenthost/protocol';
import { viewHtml } from './view-html.ts';

/** Most pages of a list of resources. */
const MAX_PAGES = 5;

/** Sends a request to the server of a view. */
type Ask = (method: 'resources/read' | 'resources/list', params: object) => Promise<unknown>;

/** A view before it is shown. */
interface ViewPage {
  readonly html: string;
  readonly domains: ViewDomains;
}

/**
 * Reads a view with the domains that it may reach: those of its content, else those of its entry in the list of resources. Throws `unusable` in
 * words when there is no view.
 */
export async function readView(ask: Ask, uri: string, unusable: string): Promise<ViewPage> {
  const result = await ask('resources/read', { uri });
  const html = viewHtml(result, unusable);
  const ui = entriesOf(result, 'contents').map(uiOf).find(Boolean) ?? (await listedUi(ask, uri));
  return { html, domains: viewDomains(ui?.['csp']) };
}

async function listedUi(ask: Ask, uri: string): Promise<Fields | undefined> {
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    let list: unknown;
    try {
      list = await ask('resources/list', cursor === undefined ? {} : { cursor });
    } catch {
      // Without a list, the view is shown without domains.
      return undefined;
    }
    const found = entriesOf(list, 'resources').find((entry) => entry['uri'] === uri);
    if (found !== undefined) return uiOf(found);
    cursor = isFields(list) ? list['nextCursor'] : undefined;
    if (typeof cursor !== 'string') return undefined;
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function entriesOf(result: unknown, name: string): Fields[] {
  const list = isFields(result) ? result[name] : undefined;
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.filter(isFields);
}

function uiOf(entry: Fields): Fields | undefined {
  const meta = entry['_meta'];
  const ui = isFields(meta) ? meta['ui'] : undefined;
  return isFields(ui) ? ui : undefined;
}
