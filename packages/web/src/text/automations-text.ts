import { automations } from './en/automations.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of the automations. They are not in the first load of the page. */
export const automationsText: typeof automations = chooseCatalogue(
  { en: automations },
  automations,
).catalogue;
