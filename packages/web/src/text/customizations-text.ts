import { customizations } from './en/customizations.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of customizations. They are not in the first load of the page. */
export const customizationsText: typeof customizations = chooseCatalogue(
  { en: customizations },
  customizations,
).catalogue;
