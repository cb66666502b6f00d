import { Component, define, make, setAttribute, styleSheet } from './component.js';

const SIZES = {
  none: '0',
  'small-500': '0.125rem',
  'small-400': '0.25rem',
  'small-300': '0.375rem',
  'small-200': '0.5rem',
  'small-100': '0.625rem',
  small: '0.75rem',
  base: '1rem',
  large: '1.25rem',
  'large-100': '1.5rem',
  'large-200': '2rem',
  'large-300': '2.5rem',
  'large-400': '3rem',
  'large-500': '4rem',
};

const RADII = {
  none: '0',
  'small-100': '2px',
  small: '4px',
  base: '8px',
  large: '12px',
  max: '999px',
};
const BACKGROUNDS = {
  transparent: 'transparent',
  base: 'var(--surface)',
  subdued: 'var(--subdued)',
};
const ROLES = {
  'unordered-list': 'list',
  'ordered-list': 'list',
  'list-item': 'listitem',
  section: 'region',
};

const sizes = (text) =>
  text
    .split(' ')
    .map((one) => SIZES[one] ?? one)
    .join(' ');

/** Each property of a box with the declaration that it stands for. */
const declarations = {
  gap: (value) => `gap: ${sizes(value)}`,
  rowGap: (value) => `row-gap: ${sizes(value)}`,
  columnGap: (value) => `column-gap: ${sizes(value)}`,
  padding: (value) => `padding: ${sizes(value)}`,
  paddingBlock: (value) => `padding-block: ${sizes(value)}`,
  paddingInline: (value) => `padding-inline: ${sizes(value)}`,
  alignItems: (value) => `align-items: ${value}`,
  justifyContent: (value) => `justify-content: ${value}`,
  gridTemplateColumns: (value) => `grid-template-columns: ${value}`,
  inlineSize: (value) => `inline-size: ${value}`,
  maxInlineSize: (value) => `max-inline-size: ${value}`,
  minBlockSize: (value) => `min-block-size: ${value}`,
  background: (value) => `background: ${BACKGROUNDS[value]}`,
  border: (value) => `border: ${value === 'none' ? '0' : '1px solid var(--line)'}`,
  borderRadius: (value) => `border-radius: ${RADII[value]}`,
  direction: (value) => (value === 'inline' ? 'flex-direction: row; flex-wrap: wrap' : ''),
};

/** `@container (inline-size > 500px) 1fr 1fr, 1fr`: the first value where the condition holds, else the second. */
const RESPONSIVE = /^@container\s*(\([^)]*\))\s*(.+),\s*([^,]+)$/;

class Box extends Component {
  static properties = {
    ...Object.fromEntries(Object.keys(declarations).map((name) => [name, ''])),
    accessibilityRole: '',
    accessibilityLabel: '',
  };

  update() {
    const rules = Object.entries(declarations).flatMap(([name, declare]) => {
      const value = this.state[name];
      if (value === '') return [];
      const [, condition, where, otherwise] = RESPONSIVE.exec(value) ?? [];
      return condition
        ? [
            `:host { ${declare(otherwise)} }`,
            `@container ${condition} { :host { ${declare(where)} } }`,
          ]
        : [`:host { ${declare(value)} }`];
    });
    const { sheet } = this.constructor;
    this.shadowRoot.adoptedStyleSheets = [
      this.shadowRoot.adoptedStyleSheets[0],
      sheet,
      styleSheet(rules.join('\n')),
    ];
    const role = this.accessibilityRole;
    setAttribute(this, 'role', ROLES[role] ?? role);
    setAttribute(this, 'aria-label', this.accessibilityLabel);
  }
}

class Stack extends Box {
  static css = ':host { display: flex; flex-direction: column; }';
}

class Grid extends Box {
  static css = ':host { display: grid; }';
}

class GridItem extends Box {}

class QueryContainer extends Component {
  static css = ':host { container-type: inline-size; }';
}

class Divider extends Component {
  static css = ':host { border-block-start: 1px solid var(--line); }';

  update() {
    this.setAttribute('role', 'separator');
  }
}

class Page extends Component {
  static properties = { heading: '', subheading: '', inlineSize: 'base' };
  static css = `
    :host { max-inline-size: 66rem; margin-inline: auto; }
    header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; margin-block-end: 1.5rem; }
    h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -0.01em; }
    p { margin: 0.25rem 0 0; color: var(--note); }
    .actions { display: flex; gap: 0.5rem; margin-inline-start: auto; }
    .content { display: flex; flex-direction: column; gap: 1.25rem; }
  `;

  build(root) {
    this.title_ = make('h1');
    this.sub = make('p');
    root.append(
      make('slot', { name: 'breadcrumb-actions' }),
      make(
        'header',
        {},
        make('div', {}, this.title_, this.sub),
        make(
          'div',
          { className: 'actions' },
          make('slot', { name: 'secondary-actions' }),
          make('slot', { name: 'primary-action' }),
        ),
      ),
      make('div', { className: 'content' }, make('slot')),
    );
  }

  update() {
    this.title_.textContent = this.heading;
    this.sub.textContent = this.subheading;
    this.sub.hidden = this.subheading === '';
  }
}

/** A section raises the level of the headings in it by one. */
export const headingLevel = (element) => {
  let level = 2;
  for (let one = element.parentElement; one; one = one.parentElement) {
    if (one.localName === 's-section') level += 1;
  }
  return String(level);
};

class Section extends Component {
  static properties = { heading: '', accessibilityLabel: '', padding: 'base' };
  static css = `
    .box { block-size: 100%; padding: 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
    :host([data-nested]) .box { border-radius: 8px; }
    .box.bare { padding: 0; border: 0; background: none; }
    [role=heading] { margin-block-end: 0.75rem; font-size: 1.125rem; font-weight: 650; }
    :host([data-nested]) [role=heading] { font-size: 1rem; }
  `;

  build(root) {
    this.title_ = make('div', { role: 'heading' });
    this.box = make('div', { className: 'box' }, this.title_, make('slot'));
    root.append(this.box);
  }

  update() {
    const level = headingLevel(this);
    this.title_.setAttribute('aria-level', level);
    this.title_.textContent = this.heading;
    this.title_.hidden = this.heading === '';
    this.toggleAttribute('data-nested', level !== '2');
    this.box.className = this.padding === 'none' ? 'box bare' : 'box';
    const label = this.accessibilityLabel || this.heading;
    setAttribute(this, 'role', label && 'region');
    setAttribute(this, 'aria-label', label);
  }
}

define('s-box', Box);
define('s-stack', Stack);
define('s-grid', Grid);
define('s-grid-item', GridItem);
define('s-query-container', QueryContainer);
define('s-divider', Divider);
define('s-page', Page);
define('s-section', Section);
