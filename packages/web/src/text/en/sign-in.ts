/** Texts of the page that asks for a token. */
export const signIn = {
  title: 'Sign in to agenthost',
  explain: 'Enter an access token of this host.',
  where: 'The host prints a link that signs you in when it starts.',
  /** `place` is a clause of the host, such as "the owner's token is in ~/owner-token". */
  ownerToken: (place: string) => `${place.charAt(0).toUpperCase()}${place.slice(1)}.`,
  token: 'Access token',
  submit: 'Sign in',
  empty: 'Enter the token.',
  wrongLink: 'The token of this link is wrong, or it was revoked or has expired.',
  failed: (reason: string) => `The host refused the token: ${reason}`,
  wait: (seconds: number) => `Too many wrong tokens. Wait ${seconds} s, then try again.`,
  unreachable: 'The host does not answer.',
  signOut: 'Sign out',
};
