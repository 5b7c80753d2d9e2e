/** The title of the window: `(2) Fix the tests – agenthost`. `view` is absent where the view has no name of its own. */
export function titleText(app: string, view: string | undefined, count: number): string {
  const name = view === undefined || view === '' ? app : `${view} – ${app}`;
  return count === 0 ? name : `(${count}) ${name}`;
}
