import { settings } from './en/settings.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of the settings. They are not in the first load of the page. */
export const settingsText: typeof settings = chooseCatalogue({ en: settings }, settings).catalogue;
