/** Texts about other clients. */
export const presence = {
  you: 'you',
  onDevice: (name: string, device: string) => `${name} (${device})`,
  others: 'Others here',
  more: (count: number) => `+${count}`,
  scope: (scope: 'observe' | 'interact' | 'admin') =>
    ({ observe: 'reads only', interact: 'may act', admin: 'administrator' })[scope],
  watching: 'looks at it now',
  inBackground: 'in the background',
};
