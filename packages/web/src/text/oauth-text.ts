import { oauth } from './en/oauth.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of the sign-in to a resource. They are not in the first load of the page. */
export const oauthText: typeof oauth = chooseCatalogue({ en: oauth }, oauth).catalogue;
