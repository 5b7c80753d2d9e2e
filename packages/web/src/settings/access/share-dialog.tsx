import type { SessionRole, URI } from '@agenthost/protocol';
import { useId, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select, TextInput } from '../../ui/field.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { nameOfPerson } from './name-of-person.ts';

const ROLES = ['observe', 'interact', 'admin'] as const satisfies readonly SessionRole[];

/** Asks for a session, a person and a role, and shares the session. `titles`: the sessions to choose from. */
export function ShareDialog({
  link,
  titles,
  onShared,
  onClose,
}: {
  readonly link: HostLink;
  readonly titles: ReadonlyMap<URI, string>;
  readonly onShared: () => void;
  readonly onClose: () => void;
}) {
  const form = useId();
  const [session, setSession] = useState(() => [...titles.keys()][0] ?? '');
  const [person, setPerson] = useState('');
  const [role, setRole] = useState<SessionRole>('observe');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const name = nameOfPerson(person);
  const share = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await link.client?.tokens.setRole(session, name, role);
      showToast({
        message: settingsText.shared(visibleText(titles.get(session) ?? session), visibleText(name)),
      });
      onShared();
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={settingsText.share}
      description={settingsText.shareExplain}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button type="submit" form={form} look="primary" disabled={isBusy || name === '' || session === ''}>
            {settingsText.shareDo}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && name !== '' && session !== '') void share();
        }}
      >
        <Field label={settingsText.shareSession}>
          {(attributes) => (
            <Select {...attributes} value={session} onChange={({ target }) => setSession(target.value)}>
              {[...titles].map(([uri, title]) => (
                <option key={uri} value={uri}>
                  {visibleText(title)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={settingsText.tokenPerson} error={problem}>
          {(attributes) => (
            <TextInput
              {...attributes}
              autoComplete="off"
              maxLength={100}
              placeholder={settingsText.tokenPersonExample}
              value={person}
              onChange={({ target }) => setPerson(target.value)}
            />
          )}
        </Field>
        <Field label={settingsText.shareRole} description={settingsText.shareRoleExplain[role]}>
          {(attributes) => (
            <Select
              {...attributes}
              value={role}
              onChange={({ target }) => setRole(ROLES.find((each) => each === target.value) ?? 'observe')}
            >
              {ROLES.map((each) => (
                <option key={each} value={each}>
                  {settingsText.shareRoles[each]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  );
}
