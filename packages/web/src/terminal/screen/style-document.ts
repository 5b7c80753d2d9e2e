import { pageNonce } from '../../app/nonce.ts';

/**
 * The document for the emulator, under a content security policy without `unsafe-inline`: its style elements get the nonce, and its `style`
 * attributes are set through the CSSOM. The emulator uses it as its public option `documentOverride`.
 */
export function styleDocument(): Document {
  const createElement = (name: string): HTMLElement => {
    const element = document.createElement(name);
    if (element instanceof HTMLStyleElement) element.nonce = pageNonce();
    // The renderer writes the colours of each piece of text into this attribute.
    else if (name === 'span') element.setAttribute = setAttribute;
    return element;
  };
  return new Proxy(document, {
    get: (target, key) => {
      if (key === 'createElement') return createElement;
      const value: unknown = Reflect.get(target, key);
      // Methods of a document refuse another receiver.
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
