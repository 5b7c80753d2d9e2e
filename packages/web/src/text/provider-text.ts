import { provider } from './en/provider.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of the sign-in by a provider. They are not in the first load of the page. */
export const providerText: typeof provider = chooseCatalogue({ en: provider }, provider).catalogue;
