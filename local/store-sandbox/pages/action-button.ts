import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { ActionInput, ActionName } from '../model/actions.ts';

/** A button that does one thing in the store. The input is checked here like any other call of it. */
export function actionButton<Name extends ActionName>(
  text: string,
  name: Name,
  input: ActionInput<Name>,
): Html {
  return html`<button type="button" data-action="${name}" data-input="${JSON.stringify(input)}">${text}</button>\n`;
}
