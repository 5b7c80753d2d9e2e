import { english } from './en/index.ts';

/** All texts of the page, in one language. */
export type Catalogue = typeof english;

/** Catalogues by language tag. A translation is one more folder beside `en`. */
const CATALOGUES: Readonly<Record<string, Catalogue>> = { en: english };

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/;

/** The catalogue of the first of the browser's languages that has one, with its tag. */
export function chooseCatalogue<T>(
  catalogues: Readonly<Record<string, T>>,
  fallback: T,
): { readonly tag: string; readonly catalogue: T } {
  for (const wanted of navigator.languages) {
    const found = catalogues[wanted] ?? catalogues[wanted.split('-', 1)[0] ?? ''];
    if (found !== undefined) return { tag: wanted, catalogue: found };
  }
  return { tag: 'en', catalogue: fallback };
}

const chosen = chooseCatalogue(CATALOGUES, english);

/** The texts of the page, in the first of the browser's languages that has a catalogue. */
export const text: Catalogue = chosen.catalogue;

/** BCP 47 tag of the texts, for numbers, dates, and the `lang` attribute. */
export const language: string = chosen.tag;

/** Direction of the page. */
export const direction: 'ltr' | 'rtl' = RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr';
