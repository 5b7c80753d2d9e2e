import { visibleText } from '../../text/visible-text.ts';

/** A node of parsed Markdown. */
interface MarkdownNode {
  value?: string;
  readonly children?: readonly MarkdownNode[];
}

/**
 * A plugin of the Markdown renderer that passes all text through `visibleText`, because the parser has replaced character references
 * such as `&#x202E;` by then.
 */
export const visibleNodes = () => showAll;

function showAll(node: MarkdownNode): void {
  if (node.value !== undefined) node.value = visibleText(node.value);
  for (const child of node.children ?? []) showAll(child);
}
