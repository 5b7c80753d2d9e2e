import type { Page } from 'playwright-core';

/** Quality of WebP pictures. Text stays sharp. */
const QUALITY = 0.86;

/** Runs inside the browser. A text, because Node's types know no canvas. */
const script = (source: string): string => `(async () => {
  const bitmap = await createImageBitmap(await (await fetch(${JSON.stringify(source)})).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d').drawImage(bitmap, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} });
  return new Uint8Array(await blob.arrayBuffer()).toBase64();
})()`;

/** A PNG as WebP, made by the browser. `page` shows an empty document. */
export async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const text = await page.evaluate<string>(script(`data:image/png;base64,${png.toString('base64')}`));
  return Buffer.from(text, 'base64');
}
