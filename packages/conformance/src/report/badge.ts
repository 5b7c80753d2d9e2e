import type { ConformanceSummary } from './summary.ts';

/** Mean width of a character at 11 px, in px. The texts are stretched to it, so that they fit with any font. */
const CHARACTER_PX = 6.6;
const PADDING_PX = 6;
const HEIGHT_PX = 20;

/** White text on each has a contrast of at least 4.5. */
const COLORS = { passed: '#1a7f37', failed: '#b3261e', none: '#57606a' } as const;
const LABEL_COLOR = '#3d444d';

/** The two texts of a badge: what was checked, and the result. */
export function badgeTexts({ subject, versions, verdict, failures }: ConformanceSummary): {
  readonly label: string;
  readonly message: string;
} {
  const played = versions.map(({ version }) => version);
  const [newest = '', oldest = newest] = [played[0], played.at(-1)];
  const range = newest === oldest ? newest : `${oldest}–${newest}`;
  const passed = versions.reduce((sum, version) => sum + version.passed, 0);
  const total = passed + failures.length;
  return {
    label: `AHP ${subject} ${range}`.trimEnd(),
    message:
      verdict === 'none'
        ? 'not checked'
        : verdict === 'passed'
          ? `${total} passed`
          : `${failures.length} of ${total} failed`,
  };
}

/** A badge as an SVG image, for a README. It loads nothing. */
export function badgeOf(summary: ConformanceSummary): string {
  const { label, message } = badgeTexts(summary);
  const [left, right] = [widthOf(label), widthOf(message)];
  const width = left + right;
  const name = escaped(`${label}: ${message}`);
  const text = (content: string, x: number, box: number): string =>
    `    <text x="${x + box / 2}" y="14" textLength="${box - 2 * PADDING_PX}">${escaped(content)}</text>\n`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT_PX}" role="img" aria-label="${name}">
  <title>${name}</title>
  <clipPath id="r"><rect width="${width}" height="${HEIGHT_PX}" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="${left}" height="${HEIGHT_PX}" fill="${LABEL_COLOR}"/>
    <rect x="${left}" width="${right}" height="${HEIGHT_PX}" fill="${COLORS[summary.verdict]}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
${text(label, 0, left)}${text(message, left, right)}  </g>
</svg>
`;
}

const widthOf = (text: string): number => Math.round(text.length * CHARACTER_PX) + 2 * PADDING_PX;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
