/** Texts of the feature `previews`. */
export const previews = {
  ports: (count: number) => (count === 1 ? '1 open port' : `${count} open ports`),
  open: (port: number, program: string) => `Open ${port}: ${program}`,
  opening: 'The preview was not opened',
  blocked: 'The browser blocked the new tab. The address works once, within a minute.',
};
