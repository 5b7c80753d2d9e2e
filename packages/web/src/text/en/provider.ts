/** Texts about the sign-in by an OpenID Connect provider. */
export const provider = {
  signInWith: (name: string) => `Sign in with ${name}`,
  orToken: 'or with an access token',
};
