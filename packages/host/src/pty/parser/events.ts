/** An event in the output of a pty [TERM-3]. */
export type OutputEvent =
  /** Text for the screen, with all escape sequences except those of shell integration. Never ends inside a character or a sequence. */
  | { readonly type: 'text'; readonly text: string }
  /** OSC 0 or 2; the sequence is in the text as well. */
  | { readonly type: 'title'; readonly title: string }
  /** Absolute path, from OSC 7, OSC 633 `P;Cwd=` or OSC 1337 `CurrentDir=`. */
  | { readonly type: 'cwd'; readonly path: string }
  /** The program waits for an answer of the terminal. The sequence is also in the text. */
  | { readonly type: 'query'; readonly query: TerminalQuery }
  /** A mark of our own shell integration, with the right nonce. */
  | { readonly type: 'mark'; readonly mark: ShellMark };

/** A query, and the values that its answer repeats. Unknown queries are no events and get no answer. */
export type TerminalQuery =
  /** DA1 `CSI c`, DA2 `CSI > c`, DA3 `CSI = c`, XTVERSION `CSI > q`, operating status `CSI 5 n`. */
  | {
      readonly kind:
        | 'primaryAttributes'
        | 'secondaryAttributes'
        | 'tertiaryAttributes'
        | 'version'
        | 'status';
    }
  /** CPR `CSI 6 n`, or with `isPrivate` DECXCPR `CSI ? 6 n`: needs the cursor as it is right behind the query. */
  | { readonly kind: 'cursorPosition'; readonly isPrivate: boolean }
  /** DECRQM `CSI ? Ps $ p` or `CSI Ps $ p`: needs the modes as they are right behind the query. */
  | { readonly kind: 'mode'; readonly mode: number; readonly isPrivate: boolean }
  /** XTWINOPS 18 (size in characters), 14 (in pixels), 16 (of a cell). */
  | { readonly kind: 'size'; readonly unit: 'cells' | 'pixels' | 'cellPixels' }
  /** OSC 10, 11, 12 with `?`. The answer ends as the query did; absent: by ST. */
  | {
      readonly kind: 'color';
      readonly of: 'foreground' | 'background' | 'cursor';
      readonly terminator?: 'bel' | 'st';
    }
  /** DCS + q (XTGETTCAP) or DCS $ q (DECRQSS): answered as not known. */
  | { readonly kind: 'capability' | 'setting'; readonly request: string };

/**
 * A mark of our shell integration. On the wire: `OSC 633 ; <nonce> ; <letter> [; <text>] ST`, where the text has every byte
 * that is no printable ASCII, and `;` and `\`, as `\xHH`. Marks of others (OSC 133, OSC 633 in other forms or with another
 * nonce, OSC 1337) are taken out of the text and mean nothing.
 */
export type ShellMark =
  /** `R`: the integration runs; commands will be reported. */
  | { readonly kind: 'ready' }
  /** `A`: a prompt begins. */
  | { readonly kind: 'prompt' }
  /** `B`: the prompt ends, and what follows is typed. */
  | { readonly kind: 'input' }
  /** `C`: this command line, exactly as typed (beyond 48 KiB: its first 12,288 characters), is run now; its output follows. */
  | { readonly kind: 'executed'; readonly commandLine: string }
  /** `D`: it ended. `exitCode` absent: the shell did not say (an empty line, an interrupted prompt). */
  | { readonly kind: 'finished'; readonly exitCode: number | undefined }
  /** `P`: where the shell is, absolute path. */
  | { readonly kind: 'cwd'; readonly path: string };
