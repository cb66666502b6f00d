import { LoyaltyWidget } from './loyalty-widget.ts';

// A theme may include the script twice.
if (!customElements.get('loyalty-widget')) customElements.define('loyalty-widget', LoyaltyWidget);
