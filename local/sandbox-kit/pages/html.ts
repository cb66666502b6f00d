/** Text that is already HTML. Only the tag below makes it, so nothing gets into a page unescaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

/** Escapes everything put into it that is not HTML made by itself. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(fixed.reduce((before, text, i) => `${before}${render(parts[i - 1])}${text}`));
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return part ? part.map(render).join('') : '';
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c] ?? c);
