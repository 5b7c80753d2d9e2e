/** Border of light modules that readers need around the code (ISO/IEC 18004). */
export const QUIET_ZONE = 4;

/** The dark modules of a QR code as an SVG path in a square of `size` modules and a quiet zone; runs of one row are one rectangle. */
export function qrPath(modules: readonly (readonly boolean[])[]): string {
  const parts: string[] = [];
  modules.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (row[x] !== true) continue;
      let end = x;
      while (row[end + 1] === true) end += 1;
      const width = end - x + 1;
      parts.push(`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h${width}v1h-${width}z`);
      x = end;
    }
  });
  return parts.join('');
}
