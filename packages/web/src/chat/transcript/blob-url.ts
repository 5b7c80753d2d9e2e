import { useEffect, useState } from 'react';

/** Images that the page shows. SVG is left out: it may contain scripts and references. */
const SHOWN_IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

/** Whether content of this media type is shown as an image. */
export const isShownImage = (contentType: string | undefined): boolean =>
  contentType !== undefined && SHOWN_IMAGE.test(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');

/** A URL for bytes, as long as the component is mounted. */
export function useBlobUrl(
  bytes: Uint8Array<ArrayBuffer> | undefined,
  contentType: string,
): string | undefined {
  const [url, setUrl] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (bytes === undefined) return undefined;
    const created = URL.createObjectURL(new Blob([bytes], { type: contentType }));
    setUrl(created);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(created);
    };
  }, [bytes, contentType]);
  return url;
}

/** Saves bytes as a file of the device. */
export function saveBytes(bytes: BlobPart, fileName: string): void {
  const url = URL.createObjectURL(new Blob([bytes]));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = fileName;
  anchor.click();
  // The browser reads the URL after this task.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Bytes of base64 text. */
export function bytesOfBase64(data: string): Uint8Array<ArrayBuffer> {
  const binary = atob(data);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
