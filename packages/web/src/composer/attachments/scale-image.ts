/** Images above this size in bytes are made smaller: models read them at a lower resolution anyway. */
const MAX_IMAGE_BYTES = 1_500_000;

/** The longest edge of an image that was made smaller, in pixels. */
const MAX_EDGE = 2_000;

const QUALITY = 0.85;

/** A smaller version of a large photo or screenshot; `undefined` for other files, and for images that the browser cannot read. */
export async function scaledImage(file: File): Promise<Blob | undefined> {
  if (file.size <= MAX_IMAGE_BYTES || !/^image\/(?:png|jpeg|webp|heic|heif|avif|bmp)$/.test(file.type))
    return undefined;
  try {
    const image = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const scale = Math.min(1, MAX_EDGE / Math.max(image.width, image.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    image.close();
    const blob = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, 'image/jpeg', QUALITY);
    });
    return blob === null || blob.size >= file.size ? undefined : blob;
  } catch {
    // Its size decides whether it is attached as it is.
    return undefined;
  }
}
