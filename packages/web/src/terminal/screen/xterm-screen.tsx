import type { TerminalHandle } from '@agenthost/client';
import { hasExited, outputOf } from '@agenthost/protocol';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSetting } from '../../live/setting.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { copyText } from '../../ui/clipboard.ts';
import { LinkDialog, openedUrl } from '../../ui/link-dialog.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { plainOutput } from '../ansi/plain-output.ts';
import { PasteDialog } from '../confirm-dialogs.tsx';
import { typeKeys } from '../holding.ts';
import { KeyRow } from '../key-row.tsx';
import type { ScreenControls } from '../screen-controls.ts';
import { fontSizeSetting, screenReaderSetting } from '../terminal-settings.ts';
import { type CommandActions, CommandGutter } from './command-gutter.tsx';
import type { CommandMark } from './command-marks.ts';
import { withControl } from './screen-keys.ts';
import { ScreenSession } from './screen-session.ts';
import { followSize } from './size.ts';

interface XtermScreenProps {
  readonly terminal: TerminalHandle;
  /** Whether the token of this page allows to type. */
  readonly mayAct: boolean;
  readonly autoFocus: boolean;
  /** Gets the controls of the screen while it is shown. */
  readonly onControls: (controls: ScreenControls | undefined) => void;
  /** Called when a key was pressed that the host would not take from this page. */
  readonly onBlocked: () => void;
  readonly onBell: () => void;
  /** Called when the person leaves the screen by keyboard. */
  readonly onLeave: () => void;
}

/** The screen of a terminal, by xterm. Loaded lazily. */
export function XtermScreen(props: XtermScreenProps) {
  const { terminal, mayAct, autoFocus, onControls } = props;
  const frame = useRef<HTMLDivElement>(null);
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [session, setSession] = useState<ScreenSession>();
  const [pasted, setPasted] = useState<string>();
  const [url, setUrl] = useState<string>();
  const [isControl, setIsControl] = useState(false);
  const controlRef = useRef(false);
  controlRef.current = isControl;
  const [fontSize] = useSetting(fontSizeSetting);
  const [hasScreenReader] = useSetting(screenReaderSetting);
  const title = useSelected(terminal.mirror, (state) => state.title);
  const isExited = useSelected(terminal.mirror, hasExited);

  useEffect(() => {
    const element = parent.current;
    if (element === null) return undefined;
    const opened = new ScreenSession(terminal, element, {
      label: text.terminal.terminalLabel(visibleText(terminal.state.title)),
      onKeys: (keys) => {
        const blocked = (): void => latest.current.onBlocked();
        if (!latest.current.mayAct) return blocked();
        if (typeKeys(terminal, controlRef.current ? withControl(keys) : keys, blocked)) setIsControl(false);
      },
      onPasteQuestion: setPasted,
      onLink: (target) => setUrl(openedUrl(target)),
      onBell: () => latest.current.onBell(),
      onLeave: () => latest.current.onLeave(),
      onCopy: (selection) => void copyText(selection),
    });
    setSession(opened);
    return () => {
      opened.dispose();
      setSession(undefined);
    };
  }, [terminal]);

  useEffect(() => {
    if (autoFocus) session?.emulator.terminal.focus();
  }, [session, autoFocus]);

  useEffect(() => session?.emulator.setScreenReader(hasScreenReader), [session, hasScreenReader]);

  useEffect(() => {
    if (session === undefined || frame.current === null) return undefined;
    return followSize({ frame: frame.current, terminal, emulator: session.emulator, mayAct, fontSize });
  }, [session, terminal, mayAct, fontSize]);

  const actions = useMemo(
    () => (session === undefined ? undefined : commandActions(session, terminal, mayAct)),
    [session, terminal, mayAct],
  );

  useEffect(() => {
    if (session === undefined || actions === undefined) return undefined;
    onControls({
      focus: () => session.emulator.terminal.focus(),
      jump: (direction) => session.marks.jump(direction),
      copyLastOutput: () => {
        const last =
          session.marks.marks.findLast(({ isComplete }) => isComplete) ?? session.marks.marks.at(-1);
        if (last === undefined) showToast({ message: text.terminal.noOutput });
        else actions.copyOutput(last);
      },
    });
    return () => onControls(undefined);
  }, [session, actions, onControls]);

  const type = (keys: string): void => session?.emulator.terminal.input(keys, true);

  return (
    <div
      className="flex min-h-0 flex-1 flex-col"
      aria-label={text.terminal.screenLabel(visibleText(title))}
      role="group"
    >
      <div ref={frame} dir="ltr" className="relative min-h-0 flex-1 overflow-auto bg-sunken">
        <div ref={parent} className="absolute inset-y-1 start-5 end-0 touch:start-6" />
        {session !== undefined && actions !== undefined && (
          <div className="absolute start-0 top-1">
            <CommandGutter marks={session.visible} actions={actions} />
          </div>
        )}
      </div>
      {mayAct && !isExited && (
        <KeyRow
          isControl={isControl}
          onControl={setIsControl}
          onKeys={type}
          arrowPrefix={() =>
            session?.emulator.terminal.modes.applicationCursorKeysMode === true ? '\u001bO' : '\u001b['
          }
        />
      )}
      <PasteDialog
        pasted={pasted}
        onClose={() => setPasted(undefined)}
        onPaste={(lines) => {
          setPasted(undefined);
          session?.paste(lines);
          session?.emulator.terminal.focus();
        }}
      />
      {url !== undefined && (
        <LinkDialog url={url} description={text.terminal.linkText} onClose={() => setUrl(undefined)} />
      )}
    </div>
  );
}

function commandActions(session: ScreenSession, terminal: TerminalHandle, mayAct: boolean): CommandActions {
  const outputOfMark = (mark: CommandMark): string => {
    const part = terminal.state.content.find(
      (each) => each.type === 'command' && each.commandId === mark.commandId,
    );
    return part === undefined ? session.marks.bufferOutput(mark) : plainOutput(outputOf(part));
  };
  return {
    copyOutput: (mark) => {
      const output = outputOfMark(mark);
      if (output === '') showToast({ message: text.terminal.noOutput });
      else void copyText(output, text.terminal.outputCopied);
    },
    copyCommand: ({ commandLine }) => void copyText(commandLine),
    selectOutput: (mark) => session.marks.selectOutput(mark),
    // Typed without Return, so that the person sees it before it runs.
    runAgain: mayAct ? ({ commandLine }) => session.paste(commandLine) : undefined,
  };
}
