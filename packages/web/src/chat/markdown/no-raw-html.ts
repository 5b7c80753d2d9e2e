/**
 * Takes the place of `rehype-raw` in the page's files: the Markdown renderer imports that parser of HTML, but the page never uses it, and it would
 * be a quarter of the renderer. Throws when the renderer calls it.
 */
// oxlint-disable-next-line import/no-default-export -- the replaced package has a default export
export default function noRawHtml(): never {
  throw new Error('HTML in Markdown stays text');
}
