import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';

const SUBJECT_ALT_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const COMMON_NAME = '2.5.4.3';
const DNS_NAME = 2;
const IP_ADDRESS = 7;
const DAY_MS = 86_400_000;

/** Contents of a self-signed certificate. */
export interface CertificateWish {
  /** Private key, P-256. */
  readonly key: KeyObject;
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** ms since the epoch. */
  readonly now: number;
  readonly validDays: number;
}

/** Creates a self-signed certificate, in PEM. */
export async function makeCertificate({ key, names, now, validDays }: CertificateWish): Promise<string> {
  // Loaded only when needed.
  const [asn1, pki] = await Promise.all([import('asn1js'), import('pkijs')]);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  const signing = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const publicKey = await crypto.subtle.importKey('spki', spki, algorithm, true, ['verify']);

  const certificate = new pki.Certificate();
  certificate.version = 2;
  // Positive, whatever its first bit.
  certificate.serialNumber = new asn1.Integer({
    valueHex: bufferOf(Buffer.concat([Buffer.of(1), randomBytes(15)])),
  });
  const name = new pki.AttributeTypeAndValue({
    type: COMMON_NAME,
    value: new asn1.Utf8String({ value: 'agenthost' }),
  });
  certificate.subject.typesAndValues.push(name);
  certificate.issuer.typesAndValues.push(name);
  // A day of grace for clocks that are slow.
  const timeAt = (at: number) => {
    const value = new Date(at);
    // The form that older software knows ends with 2049.
    const { UTCTime, GeneralizedTime } = pki.TimeType;
    return new pki.Time({ type: value.getUTCFullYear() < 2050 ? UTCTime : GeneralizedTime, value });
  };
  certificate.notBefore = timeAt(now - DAY_MS);
  certificate.notAfter = timeAt(now + validDays * DAY_MS);
  const generalNames = names.map((text) =>
    isIP(text) === 0
      ? new pki.GeneralName({ type: DNS_NAME, value: text })
      : new pki.GeneralName({
          type: IP_ADDRESS,
          value: new asn1.OctetString({ valueHex: bufferOf(addressBytes(text)) }),
        }),
  );
  certificate.extensions = [
    new pki.Extension({
      extnID: SUBJECT_ALT_NAME,
      extnValue: new pki.GeneralNames({ names: generalNames }).toSchema().toBER(false),
    }),
    new pki.Extension({
      extnID: EXTENDED_KEY_USAGE,
      extnValue: new pki.ExtKeyUsage({ keyPurposes: [SERVER_AUTH] }).toSchema().toBER(false),
    }),
  ];
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(signing, 'SHA-256');
  const der = Buffer.from(certificate.toSchema(true).toBER(false)).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${der.replace(/(.{64})(?!$)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

/** 4 or 16 bytes. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.'), Number);
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [head, tail] = [groups(before), groups(after ?? '')];
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Uint8Array.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
}
