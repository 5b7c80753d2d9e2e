// The part of postject that is used here. The package has no types.
declare module 'postject' {
  /** Adds a resource to an executable file, in place. Rejects if the file has the resource already, or no fuse. */
  export function inject(
    file: string,
    resource: string,
    content: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
  ): Promise<void>;
}
