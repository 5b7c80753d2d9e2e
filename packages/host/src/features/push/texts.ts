/** Texts of the host in pushes. */
export interface PushTexts {
  readonly allow: string;
  readonly deny: string;
  /** Body for a turn that ended without text. */
  readonly finished: string;
  /** Bodies of questions without text. */
  readonly question: string;
  readonly test: string;
  signIn(tool: string): string;
  resultWaits(tool: string): string;
}

const ENGLISH: PushTexts = {
  allow: 'Allow',
  deny: 'Deny',
  finished: 'Finished',
  question: 'The agent has a question',
  test: 'Notifications work on this device',
  signIn: (tool) => `${tool} needs you to sign in`,
  resultWaits: (tool) => `The result of ${tool} waits for your approval`,
};

const GERMAN: PushTexts = {
  allow: 'Erlauben',
  deny: 'Ablehnen',
  finished: 'Fertig',
  question: 'Der Agent hat eine Frage',
  test: 'Mitteilungen kommen auf diesem Gerät an',
  signIn: (tool) => `${tool} braucht deine Anmeldung`,
  resultWaits: (tool) => `Das Ergebnis von ${tool} wartet auf deine Zustimmung`,
};

const FRENCH: PushTexts = {
  allow: 'Autoriser',
  deny: 'Refuser',
  finished: 'Terminé',
  question: 'L’agent a une question',
  test: 'Les notifications arrivent sur cet appareil',
  signIn: (tool) => `${tool} demande une connexion`,
  resultWaits: (tool) => `Le résultat de ${tool} attend votre accord`,
};

/** The texts in a language (BCP 47 tag); in English if the language is not available. */
export function pushTexts(locale = 'en'): PushTexts {
  switch (locale.split(/[-_]/, 1)[0]?.toLowerCase()) {
    case 'de':
      return GERMAN;
    case 'fr':
      return FRENCH;
    default:
      return ENGLISH;
  }
}
