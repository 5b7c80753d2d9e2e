import { useEffect, useState } from 'react';
import { type PushSnapshot, pushStore } from '../../attention/push/push-store.ts';
import { onTestArrived } from '../../attention/worker-messages.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { deviceOf } from '../../presence/device.ts';
import { settingsText } from '../../text/settings-text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Switch } from '../../ui/field.tsx';
import { Spinner } from '../../ui/states.tsx';
import { FRAME, Note, Panel, SettingRow } from '../panel.tsx';
import { blockingHelp } from './blocking-help.ts';

/** Whether this browser gets notifications, or the reason why not, and a test. */
export function ThisBrowser({ link, push }: { readonly link: HostLink; readonly push: PushSnapshot }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { own, support, devices, wasRevoked } = push;
  const store = pushStore(link);
  const help = blockingHelp(support);
  const isOn = own !== undefined;
  const change = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await (isOn ? store.switchOff() : store.switchOn());
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <Panel title={settingsText.thisBrowser}>
      <div className={classes(FRAME, 'divide-y divide-line')}>
        <SettingRow
          label={deviceOf(navigator.userAgent)}
          description={isOn ? settingsText.pushOn : settingsText.pushOff}
        >
          {isBusy && <Spinner />}
          <Switch
            aria-label={settingsText.pushSwitch}
            isOn={isOn}
            disabled={isBusy || help !== undefined || devices === undefined}
            onChange={() => void change()}
          />
        </SettingRow>
        {isOn && <TestRow link={link} id={own.id} />}
      </div>
      {wasRevoked && <Note>{settingsText.pushRevoked}</Note>}
      {help !== undefined && (
        <Note tone="warn">
          <p className="font-medium">{help.title}</p>
          <ul className="ms-4 flex list-disc flex-col gap-0.5">
            {help.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ul>
        </Note>
      )}
      {problem !== undefined && (
        <Note tone="danger">
          <p role="alert">{settingsText.pushFailed(problem)}</p>
        </Note>
      )}
    </Panel>
  );
}

type TestState =
  | { readonly state: 'idle' | 'sending' }
  | { readonly state: 'accepted'; readonly status: number }
  | { readonly state: 'failed'; readonly reason: string };

/** Sends a test to this browser, and shows its progress. */
function TestRow({ link, id }: { readonly link: HostLink; readonly id: string }) {
  const [test, setTest] = useState<TestState>({ state: 'idle' });
  const [hasArrived, setArrived] = useState(false);
  useEffect(() => onTestArrived(() => setArrived(true)), []);
  const send = async (): Promise<void> => {
    setArrived(false);
    setTest({ state: 'sending' });
    try {
      const status = await pushStore(link).test(id);
      setTest({ state: 'accepted', status });
    } catch (error) {
      setTest({ state: 'failed', reason: messageOf(error) });
    }
  };
  return (
    <div>
      <SettingRow label={settingsText.test} description={settingsText.testExplain}>
        <Button size="small" disabled={test.state === 'sending'} onClick={() => void send()}>
          {settingsText.sendTest}
        </Button>
      </SettingRow>
      <p
        role="status"
        className={classes(
          'px-4 pb-3 text-sm break-words empty:hidden',
          test.state === 'failed' ? 'text-danger' : 'text-muted',
        )}
      >
        {test.state === 'sending' && settingsText.testSending}
        {test.state === 'accepted' &&
          (hasArrived ? settingsText.testArrived : settingsText.testAccepted(test.status))}
        {test.state === 'failed' && test.reason}
      </p>
    </div>
  );
}
