import { type FormEvent, useState } from 'react';
import { useHosts, useLinks } from '../../live/use-hosts.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { hostAddress } from './host-address.ts';

/** The form that adds a host to this page. */
export function AddHostForm({ onDone }: { readonly onDone: () => void }) {
  const hosts = useHosts();
  const links = useLinks();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const [isChecked, setChecked] = useState(false);
  const address = hostAddress(url);
  const isKnown =
    address !== undefined && links.some((link) => hostAddress(link.address.url)?.url === address.url);
  const urlProblem = isKnown
    ? text.board.hostKnown
    : address === undefined
      ? text.board.hostUrlInvalid
      : undefined;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setChecked(true);
    if (address === undefined || urlProblem !== undefined) return;
    const given = token.trim() || address.token;
    hosts.add({
      name: name.trim() || new URL(address.url).host,
      url: address.url,
      ...(given === undefined ? {} : { token: given }),
    });
    onDone();
  };

  return (
    <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
      <Field
        label={text.board.hostUrl}
        description={text.board.hostUrlHint}
        error={isChecked ? urlProblem : undefined}
        isRequired
      >
        {(attributes) => (
          <TextInput
            {...attributes}
            type="url"
            inputMode="url"
            autoComplete="off"
            required
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={text.board.hostToken} description={text.board.hostTokenHint}>
        {(attributes) => (
          <TextInput
            {...attributes}
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={text.board.hostName} description={text.board.hostNameHint}>
        {(attributes) => (
          <TextInput
            {...attributes}
            autoComplete="off"
            placeholder={address === undefined ? '' : new URL(address.url).host}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{text.ui.cancel}</Button>
        <Button type="submit" look="primary">
          {text.board.addHost}
        </Button>
      </div>
    </form>
  );
}
