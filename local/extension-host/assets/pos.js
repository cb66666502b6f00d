import { Component, define, make } from './component.js';

/** The components that only the point of sale has. */
class PosBlock extends Component {
  static properties = { heading: '' };
  static css = `
    section { display: grid; grid-template-columns: 1fr auto; gap: 0.5rem 1rem; align-items: center; padding: 1rem; }
    .heading { font-size: 0.875rem; color: var(--note); }
    .content { grid-column: 1 / -1; }
  `;

  build(root) {
    this.title_ = make('div', { className: 'heading', role: 'heading', ariaLevel: '3' });
    root.append(
      make(
        'section',
        {},
        this.title_,
        make('slot', { name: 'secondary-actions' }),
        make('div', { className: 'content' }, make('slot')),
      ),
    );
  }

  update() {
    this.title_.textContent = this.heading;
  }
}

class ScrollBox extends Component {
  static properties = { padding: '' };
}

define('s-pos-block', PosBlock);
define('s-scroll-box', ScrollBox);
