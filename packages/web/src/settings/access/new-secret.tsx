import { useState } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { Field, TextInput } from '../../ui/field.tsx';
import { CopyLine } from '../copy-line.tsx';
import { Note } from '../panel.tsx';
import { inviteLink, isLoopbackUrl, pageAddress } from './invite-link.ts';
import { QrCode } from './qr-code.tsx';

/** The secret of a new token, and a link and a QR code that sign a phone in with it. */
export function NewSecret({ link, secret }: { readonly link: HostLink; readonly secret: string }) {
  const own = link.address.url;
  const [typed, setTyped] = useState(isLoopbackUrl(own) ? '' : own);
  const address = pageAddress(typed, own);
  const isUseless = address !== undefined && isLoopbackUrl(address);
  const invitation = address === undefined || isUseless ? undefined : inviteLink(address, secret);
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-1.5">
        <p className="text-sm font-medium">{settingsText.secret}</p>
        <CopyLine value={secret} label={settingsText.secret} />
      </div>
      <div className="flex flex-col gap-3 border-t border-line pt-4">
        <h3 className="text-sm font-medium">{settingsText.addPhone}</h3>
        {isLoopbackUrl(own) && invitation === undefined && (
          <Note>
            <p>{settingsText.loopback(new URL(own).hostname)}</p>
            <ul className="ms-4 list-disc">
              {settingsText.loopbackWays.map((way) => (
                <li key={way}>{way}</li>
              ))}
            </ul>
          </Note>
        )}
        <Field
          label={settingsText.phoneAddress}
          description={settingsText.phoneAddressHint}
          error={
            isUseless
              ? settingsText.phoneAddressLoopback
              : typed.trim() !== '' && address === undefined
                ? text.board.hostUrlInvalid
                : undefined
          }
        >
          {(attributes) => (
            <TextInput
              {...attributes}
              type="url"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              dir="ltr"
              placeholder="https://192.168.1.20:4711/"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        {invitation !== undefined && (
          <>
            <div className="flex justify-center">
              <QrCode value={invitation} label={settingsText.qrLabel} />
            </div>
            <CopyLine value={invitation} label={settingsText.phoneLink} />
            <p className="text-xs text-muted">{settingsText.phoneLinkExplain}</p>
          </>
        )}
      </div>
    </div>
  );
}
