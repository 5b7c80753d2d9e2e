import { useMemo } from 'react';
import { encode } from 'uqr';
import { QUIET_ZONE, qrPath } from './qr-path.ts';

/** A QR code, dark on light in every theme so that all cameras read it. */
export function QrCode({ value, label }: { readonly value: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const { data } = encode(value, { border: 0, ecc: 'M' });
    return { path: qrPath(data), size: data.length + 2 * QUIET_ZONE };
  }, [value]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="w-full max-w-60 rounded-lg"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
