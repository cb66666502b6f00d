import { Component, define, make, setAttribute } from './component.js';
import { headingLevel } from './layout.js';

const tones = `
  :host([data-color=subdued]) { color: var(--note); }
  :host([data-tone=success]) { color: var(--success); }
  :host([data-tone=warning]) { color: var(--warning); }
  :host([data-tone=critical]) { color: var(--critical); }
  :host([data-tone=info]) { color: var(--accent); }
  :host([data-visibility=exclusive]) { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
  :host([data-type=strong]) { font-weight: 650; }
  :host([data-type=small]) { font-size: 0.875rem; }
  :host([data-type=emphasis]) { font-style: italic; }
  :host([data-type=redundant]) { text-decoration: line-through; }
`;

class Text extends Component {
  static properties = {
    color: 'base',
    tone: 'auto',
    type: 'generic',
    accessibilityVisibility: 'visible',
  };
  static css = `:host { display: inline; } ${tones}`;

  update() {
    this.dataset.color = this.color;
    this.dataset.tone = this.tone;
    this.dataset.type = this.type;
    this.dataset.visibility = this.accessibilityVisibility;
    setAttribute(this, 'aria-hidden', this.accessibilityVisibility === 'hidden' && 'true');
  }
}

class Paragraph extends Text {
  static css = `:host { display: block; } ${tones}`;

  update() {
    super.update();
    this.setAttribute('role', 'paragraph');
  }
}

class Heading extends Component {
  static properties = { accessibilityRole: 'heading' };
  static css = `
    :host { font-size: 1rem; font-weight: 650; line-height: 1.3; }
    :host([role=presentation]) { font-size: 1.75rem; letter-spacing: -0.01em; }
  `;

  update() {
    this.setAttribute('role', this.accessibilityRole);
    setAttribute(this, 'aria-level', this.accessibilityRole === 'heading' && headingLevel(this));
  }
}

class Badge extends Component {
  static properties = { tone: 'auto', color: 'base', size: 'base' };
  static css = `
    :host {
      display: inline-block; padding: 0.125rem 0.5rem; border-radius: 999px; background: var(--badge);
      font-size: 0.8125rem; font-weight: 550; line-height: 1.4;
    }
    :host([data-tone=critical]) { background: var(--critical-surface); color: var(--critical); }
    :host([data-tone=success]) { background: var(--success-surface); color: var(--success); }
    :host([data-tone=info]) { background: var(--info-surface); color: var(--accent); }
    :host([data-color=subdued]) { background: var(--subdued); color: var(--note); }
  `;

  update() {
    this.dataset.tone = this.tone;
    this.dataset.color = this.color;
  }
}

class Banner extends Component {
  static properties = { heading: '', tone: 'auto' };
  static css = `
    div { padding: 0.75rem 1rem; border-radius: 8px; border-inline-start: 4px solid var(--accent); background: var(--info-surface); }
    div[data-tone=success] { border-color: var(--success); background: var(--success-surface); }
    div[data-tone=warning] { border-color: var(--warning); background: var(--warning-surface); }
    div[data-tone=critical] { border-color: var(--critical); background: var(--critical-surface); }
    strong { display: block; }
    strong:empty { display: none; }
    ::slotted([slot=primary-action]) { margin-block-start: 0.75rem; }
  `;

  build(root) {
    this.title_ = make('strong');
    this.box = make('div', {}, this.title_, make('slot'), make('slot', { name: 'primary-action' }));
    root.append(this.box);
  }

  update() {
    this.title_.textContent = this.heading;
    this.box.dataset.tone = this.tone;
    this.setAttribute('role', this.tone === 'critical' ? 'alert' : 'status');
  }
}

class Progress extends Component {
  static properties = { accessibilityLabel: '', value: undefined, max: 1, tone: 'auto' };
  static css = `
    progress { display: block; appearance: none; inline-size: 100%; block-size: 0.5rem; border: 0; border-radius: 999px; background: var(--badge); overflow: hidden; }
    progress::-webkit-progress-bar { background: var(--badge); }
    progress::-webkit-progress-value { border-radius: 999px; background: var(--accent); }
  `;

  build(root) {
    this.bar = make('progress');
    root.append(this.bar);
  }

  update() {
    setAttribute(this.bar, 'max', String(this.max));
    setAttribute(this.bar, 'value', this.value === undefined ? '' : String(this.value));
    setAttribute(this.bar, 'aria-label', this.accessibilityLabel);
  }
}

class SkeletonParagraph extends Component {
  static properties = { content: '' };
  static css = `
    :host { block-size: 1em; margin-block: 0.25em; border-radius: 4px; background: var(--badge); max-inline-size: 24rem; }
  `;
}

class Spinner extends Component {
  static properties = { accessibilityLabel: '', size: 'base' };
  static css = `
    :host { display: inline-block; inline-size: 1.25rem; block-size: 1.25rem; border: 2px solid var(--line); border-top-color: var(--accent); border-radius: 50%; animation: turn 1s linear infinite; }
    @keyframes turn { to { rotate: 1turn; } }
    @media (prefers-reduced-motion: reduce) { :host { animation: none; } }
  `;

  update() {
    this.setAttribute('role', 'img');
    setAttribute(this, 'aria-label', this.accessibilityLabel);
  }
}

define('s-text', Text);
define('s-paragraph', Paragraph);
define('s-heading', Heading);
define('s-badge', Badge);
define('s-banner', Banner);
define('s-progress', Progress);
define('s-skeleton-paragraph', SkeletonParagraph);
define('s-spinner', Spinner);
