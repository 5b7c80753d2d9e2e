/** Texts about other clients. */
export const presence = {
  you: 'you',
  onDevice: (name: string, device: string) => `${name} (${device})`,
  others: 'Others here',
  more: (count: number) => `+${count}`,
  scope: (scope: 'none' | 'observe' | 'interact' | 'admin') =>
    ({ none: 'guest', observe: 'read-only', interact: 'may act', admin: 'administrator' })[scope],
  watching: 'viewing now',
  inBackground: 'in the background',
};
