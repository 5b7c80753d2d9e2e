import { type CreateTokenResult, TOKEN_SCOPES } from '@agenthost/protocol';
import { useId, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select, TextInput } from '../../ui/field.tsx';
import { LIFETIMES, lifetimeOf } from './lifetimes.ts';
import { nameOfPerson } from './name-of-person.ts';
import { NewSecret } from './new-secret.tsx';

/** Asks for name, rights and lifetime of a token, creates it, and shows its secret once. */
export function NewTokenDialog({
  link,
  onCreated,
  onClose,
}: {
  readonly link: HostLink;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) {
  const [created, setCreated] = useState<CreateTokenResult>();
  if (created !== undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={settingsText.tokenCreated}
        description={settingsText.tokenOnce}
        footer={
          <Button look="primary" onClick={onClose}>
            {settingsText.tokenStored}
          </Button>
        }
      >
        <NewSecret link={link} secret={created.secret} />
      </Dialog>
    );
  return (
    <TokenForm
      link={link}
      onClose={onClose}
      onCreated={(result) => {
        setCreated(result);
        onCreated();
      }}
    />
  );
}

function TokenForm({
  link,
  onCreated,
  onClose,
}: {
  readonly link: HostLink;
  readonly onCreated: (created: CreateTokenResult) => void;
  readonly onClose: () => void;
}) {
  const form = useId();
  const [name, setName] = useState('');
  const [person, setPerson] = useState('');
  const [scope, setScope] = useState<(typeof TOKEN_SCOPES)[number]>('interact');
  const [lifetime, setLifetime] = useState(lifetimeOf(''));
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    const { client } = link;
    if (client === undefined) return;
    setBusy(true);
    setProblem(undefined);
    const seconds = LIFETIMES[lifetime];
    try {
      onCreated(
        await client.tokens.create({
          scope,
          ...(name.trim() === '' ? {} : { name: name.trim() }),
          ...(nameOfPerson(person) === '' ? {} : { person: nameOfPerson(person) }),
          ...(seconds === undefined ? {} : { lifetimeSeconds: seconds }),
        }),
      );
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={settingsText.newToken}
      description={settingsText.newTokenExplain}
      footer={
        <>
          <Button onClick={onClose}>{text.ui.cancel}</Button>
          <Button type="submit" form={form} look="primary" disabled={isBusy}>
            {settingsText.createToken}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void create();
        }}
      >
        <Field label={settingsText.tokenName} description={settingsText.tokenNameHint} error={problem}>
          {(attributes) => (
            <TextInput
              {...attributes}
              autoComplete="off"
              maxLength={100}
              placeholder={settingsText.tokenNameExample}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label={settingsText.tokenPerson} description={settingsText.tokenPersonHint}>
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
        <Field label={settingsText.tokenScope} description={settingsText.scopeExplain[scope]}>
          {(attributes) => (
            <Select
              {...attributes}
              value={scope}
              onChange={({ target }) =>
                setScope(TOKEN_SCOPES.find((each) => each === target.value) ?? 'observe')
              }
            >
              {TOKEN_SCOPES.map((each) => (
                <option key={each} value={each}>
                  {settingsText.scopes[each]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={settingsText.tokenLifetime}>
          {(attributes) => (
            <Select
              {...attributes}
              value={lifetime}
              onChange={({ target }) => setLifetime(lifetimeOf(target.value))}
            >
              {Object.entries(settingsText.lifetimes).map(([id, label]) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  );
}
