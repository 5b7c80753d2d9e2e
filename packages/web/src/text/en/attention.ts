/** Texts about sessions that wait, and about notifications outside of the settings. */
export const attention = {
  needsAnswer: (title: string) => `“${title}” needs an answer`,
  open: 'Open',
  updated: 'A new version is available.',
  reload: 'Reload to update',
  mute: 'Mute notifications',
  unmute: 'Unmute notifications',
  muteFailed: (reason: string) => `Notifications were not changed: ${reason}`,
};
