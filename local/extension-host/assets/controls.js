import { Component, define, host, make, setAttribute } from './component.js';

const button = `
  .control {
    display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-block-size: 2.75rem; padding: 0.5rem 1rem;
    border: 1px solid var(--control-line); border-radius: 8px; background: var(--surface); color: inherit; font: inherit;
    font-weight: 550; text-decoration: none; cursor: pointer;
  }
  .control[data-variant=primary] { border-color: var(--accent); background: var(--accent); color: var(--accent-text); }
  .control[data-fill] { inline-size: 100%; }
  .control:disabled, .control[aria-disabled=true] { border-color: var(--line); background: var(--subdued); color: var(--note); cursor: default; }
  .control:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

class Button extends Component {
  static properties = {
    accessibilityLabel: '',
    command: '--auto',
    commandFor: '',
    disabled: false,
    href: '',
    inlineSize: 'auto',
    loading: false,
    type: 'button',
    tone: 'auto',
    variant: 'auto',
  };
  static css = `:host { display: inline-block; } :host([data-fill]) { display: block; } ${button}`;

  build(root) {
    // Not `disabled` while it loads: that would take the focus away.
    root.addEventListener('click', (event) => {
      if (this.loading) event.stopImmediatePropagation();
    });
    this.addEventListener('click', () => {
      const target = this.getRootNode().getElementById(this.commandFor);
      if (target) return target.run?.(this.command);
      if (this.href === '' && this.type === 'submit') this.closest('s-form')?.submit();
    });
  }

  update() {
    const tag = this.href === '' ? 'button' : 'a';
    if (this.control?.localName !== tag) {
      const isFocused = this.shadowRoot.activeElement !== null;
      this.control = make(tag, { className: 'control' }, make('slot'));
      this.shadowRoot.replaceChildren(this.control);
      if (isFocused) this.control.focus();
    }
    if (tag === 'a') this.control.href = host.resolve(this.href);
    else {
      this.control.type = 'button';
      this.control.disabled = this.disabled;
    }
    this.toggleAttribute('data-fill', this.inlineSize === 'fill');
    setAttribute(this.control, 'data-fill', this.inlineSize === 'fill');
    setAttribute(this.control, 'data-variant', this.variant);
    setAttribute(this.control, 'aria-label', this.accessibilityLabel);
    setAttribute(this.control, 'aria-disabled', this.loading && 'true');
    setAttribute(this.control, 'aria-busy', this.loading && 'true');
  }
}

class Link extends Component {
  static properties = { accessibilityLabel: '', href: '', tone: 'auto' };
  static css = `:host { display: inline; } a { color: var(--accent); } ${button}`;

  build(root) {
    this.anchor = make('a', {}, make('slot'));
    root.append(this.anchor);
  }

  update() {
    setAttribute(this.anchor, 'href', this.href === '' ? '' : host.resolve(this.href));
    setAttribute(this.anchor, 'aria-label', this.accessibilityLabel);
  }
}

class ClipboardItem extends Component {
  static properties = { text: '' };
  static events = ['copyerror'];
  static css = ':host { display: none; }';

  async run() {
    try {
      await navigator.clipboard.writeText(this.text);
      this.dispatchEvent(new Event('copy'));
    } catch {
      this.dispatchEvent(new Event('copyerror'));
    }
  }
}

class Form extends Component {
  static properties = { disabled: false };

  submit() {
    if (!this.disabled) this.dispatchEvent(new Event('submit'));
  }
}

const field = `
  label, legend { display: block; margin-block-end: 0.25rem; font-size: 0.875rem; color: var(--note); }
  .field span:empty { display: none; }
  .field { display: flex; align-items: center; gap: 0.5rem; }
  input[type=text], input[type=number] {
    inline-size: 100%; min-block-size: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--control-line); border-radius: 8px;
    background: var(--surface); color: inherit; font: inherit;
  }
  input:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  input[aria-invalid=true] { border-color: var(--critical); }
  .error { margin: 0.25rem 0 0; color: var(--critical); font-size: 0.875rem; }
  .error:empty { display: none; }
`;

class TextField extends Component {
  static type = 'text';
  static properties = {
    label: '',
    value: '',
    error: '',
    name: '',
    maxLength: undefined,
    min: undefined,
    max: undefined,
    step: undefined,
    inputMode: '',
    prefix: '',
    suffix: '',
    required: false,
    disabled: false,
    autocomplete: 'on',
    placeholder: '',
  };
  static css = field;

  build(root) {
    this.caption = make('label', { htmlFor: 'input' });
    this.input = make('input', { id: 'input', type: this.constructor.type });
    this.before = make('span');
    this.after = make('span');
    this.problem = make('p', { className: 'error', id: 'problem' });
    this.problem.setAttribute('role', 'alert');
    this.input.addEventListener('input', () => {
      this.state.value = this.input.value;
    });
    // Unlike `input`, this event does not leave the shadow tree.
    this.input.addEventListener('change', () => this.dispatchEvent(new Event('change')));
    this.input.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') this.closest('s-form')?.submit();
    });
    root.append(
      this.caption,
      make('div', { className: 'field' }, this.before, this.input, this.after),
      this.problem,
    );
  }

  update() {
    this.caption.textContent = this.label;
    this.before.textContent = this.prefix;
    this.after.textContent = this.suffix;
    if (this.input.value !== String(this.value)) this.input.value = this.value;
    for (const name of ['maxLength', 'min', 'max', 'step', 'inputMode', 'name', 'placeholder']) {
      const value = this[name];
      setAttribute(this.input, name, value === undefined ? '' : String(value));
    }
    setAttribute(this.input, 'aria-required', this.required && 'true');
    this.input.disabled = this.disabled;
    this.problem.textContent = this.error;
    setAttribute(this.input, 'aria-invalid', this.error !== '' && 'true');
    setAttribute(this.input, 'aria-describedby', this.error !== '' && 'problem');
  }
}

class NumberField extends TextField {
  static type = 'number';
}

define('s-button', Button);
define('s-link', Link);
define('s-clipboard-item', ClipboardItem);
define('s-form', Form);
define('s-text-field', TextField);
define('s-number-field', NumberField);
