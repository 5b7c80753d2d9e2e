/** The controls of a screen for the bar of its terminal. */
export interface ScreenControls {
  focus(): void;
  /** Scrolls to the command before or after the top of the visible part. */
  jump(direction: 'previous' | 'next'): void;
  /** Copies the output of the last command that has ended. */
  copyLastOutput(): void;
}
