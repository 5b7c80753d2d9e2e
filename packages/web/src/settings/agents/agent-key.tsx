import type { AhpClient } from '@agenthost/client';
import { type AgentHealth, type AgentKeySource, ROOT_URI } from '@agenthost/protocol';
import { KeyRound } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useIsAdmin } from '../../live/use-scope.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';

const storeKey = async (client: AhpClient | undefined, provider: string, apiKey: string): Promise<void> => {
  await client?.request('x-setAgentKey', { channel: ROOT_URI, provider, apiKey });
};

/** Where the key of an agent comes from, and for administrators a way to set it. A stored key is never shown. */
export function AgentKey({
  link,
  agent,
  source,
  onChanged,
}: {
  readonly link: HostLink;
  readonly agent: AgentHealth;
  readonly source: AgentKeySource;
  readonly onChanged: () => Promise<void>;
}) {
  const isAdmin = useIsAdmin(link);
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const name = visibleText(agent.displayName);
  const remove = async (): Promise<void> => {
    try {
      await storeKey(link.client, agent.provider, '');
      showToast({ message: settingsText.keyRemoved(name) });
      await onChanged();
    } catch (error) {
      showError(settingsText.keyFailed(messageOf(error)));
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-56 text-sm">{settingsText.keySources[source]}</p>
        {isAdmin && !isEditing && (
          <>
            <Button size="small" onClick={() => setEditing(true)}>
              <KeyRound className="size-4" aria-hidden />
              {source === 'stored' ? settingsText.replaceKey : settingsText.setKey}
            </Button>
            {source === 'stored' && (
              <Button size="small" look="ghost" className="text-muted" onClick={() => setRemoving(true)}>
                {settingsText.removeKey}
              </Button>
            )}
          </>
        )}
      </div>
      {!isAdmin && <p className="text-xs text-muted">{settingsText.keyForAdmins}</p>}
      {isEditing && (
        <KeyForm link={link} agent={agent} onClose={() => setEditing(false)} onChanged={onChanged} />
      )}
      {isRemoving && (
        <ConfirmDialog
          title={settingsText.removeKeyTitle(name)}
          action={settingsText.removeKey}
          onConfirm={() => void remove()}
          onClose={() => setRemoving(false)}
        >
          {settingsText.removeKeyExplain}
        </ConfirmDialog>
      )}
    </div>
  );
}

function KeyForm({
  link,
  agent,
  onClose,
  onChanged,
}: {
  readonly link: HostLink;
  readonly agent: AgentHealth;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<void>;
}) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const store = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    if (key.trim() === '') return setProblem(settingsText.keyMissing);
    if (link.client === undefined) return setProblem(settingsText.hostAway);
    setBusy(true);
    setProblem(undefined);
    try {
      await storeKey(link.client, agent.provider, key.trim());
      showToast({ message: settingsText.keyStored(visibleText(agent.displayName)) });
      onClose();
      await onChanged();
    } catch (error) {
      // The host names the parameter, which people do not know.
      setProblem(settingsText.keyFailed(messageOf(error).replace(/^params\.\w+: /, '')));
      setBusy(false);
    }
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => void store(event)} noValidate>
      <Field
        label={settingsText.keyOf(visibleText(agent.displayName))}
        description={settingsText.keyHint}
        error={problem}
      >
        {(attributes) => (
          <TextInput
            {...attributes}
            type="password"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus
            dir="ltr"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="small" look="primary" aria-disabled={isBusy}>
          {settingsText.storeKey}
        </Button>
        <Button size="small" onClick={onClose}>
          {text.ui.cancel}
        </Button>
      </div>
    </form>
  );
}
