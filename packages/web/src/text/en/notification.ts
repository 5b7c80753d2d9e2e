/** Texts of the service worker. They are no part of the page's catalogue: the worker loads nothing but itself. */
export const notification = {
  allowed: 'Allowed',
  denied: 'Denied',
  answeredAlready: 'Already answered',
  answerFailed: 'The answer did not reach the host. Open the session to answer.',
  answerRefused: (reason: string) => `Not answered: ${reason}`,
  /** A notification whose content cannot be read. */
  unknownTitle: 'agenthost',
  unknownBody: 'Something needs your attention.',
};
