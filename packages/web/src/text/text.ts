import { english } from './en/index.ts';

/** All texts of the page, in one language. */
export type Catalogue = typeof english;

/** Catalogues by language tag. A translation is one more folder beside `en`. */
const CATALOGUES: Readonly<Record<string, Catalogue>> = { en: english };

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/;

function choose(): { readonly tag: string; readonly catalogue: Catalogue } {
  for (const wanted of navigator.languages) {
    const found = CATALOGUES[wanted] ?? CATALOGUES[wanted.split('-', 1)[0] ?? ''];
    if (found !== undefined) return { tag: wanted, catalogue: found };
  }
  return { tag: 'en', catalogue: english };
}

const chosen = choose();

/** The texts of the page, in the first of the browser's languages that has a catalogue. */
export const text: Catalogue = chosen.catalogue;

/** BCP 47 tag of the texts, for numbers, dates, and the `lang` attribute. */
export const language: string = chosen.tag;

/** Direction of the page. */
export const direction: 'ltr' | 'rtl' = RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr';
