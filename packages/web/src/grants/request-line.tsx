import type { AccessRequest } from '@agenthost/protocol';
import { FolderLock } from 'lucide-react';
import { useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { pathOf } from '../text/file-path.ts';
import { settingsText } from '../text/settings-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { answerRequest } from './answer-request.ts';

/** A request for access to files that waits for an administrator. */
export function RequestLine({ link, request }: { readonly link: HostLink; readonly request: AccessRequest }) {
  const { id, clientName, clientId, uri } = request;
  const [isSent, setSent] = useState(false);
  const answer = async (isGranted: boolean): Promise<void> => {
    setSent(true);
    await answerRequest(link, id, isGranted);
    setSent(false);
  };
  const name = clientName === undefined ? settingsText.unnamedClient(clientId) : visibleText(clientName);
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-warn-soft px-4 py-1.5 text-sm"
    >
      <FolderLock className="size-4 shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 grow basis-64 break-words">
        <SafeText className="font-medium">{name}</SafeText> {settingsText.wantsAccess(request)}{' '}
        <SafeText className="font-mono text-xs break-all">{pathOf(uri)}</SafeText>
      </p>
      <div className="flex gap-2">
        <Button size="small" look="primary" disabled={isSent} onClick={() => void answer(true)}>
          {settingsText.allow}
        </Button>
        <Button size="small" disabled={isSent} onClick={() => void answer(false)}>
          {settingsText.deny}
        </Button>
      </div>
    </div>
  );
}
