import { expect, test } from 'vitest';
import SignInPage from '../../web/pages/sign-in/sign-in-page.tsx';
import { World } from './world.tsx';

test('a sign-in link that is opened in the tab of the sign-in page is used, and its code leaves the address', async () => {
  const world = new World({ 'POST /api/sign-ins': new Error('Used.') });
  const screen = await world.show(<SignInPage />);
  await expect.element(screen.getByRole('heading', { name: 'Sign in to Parley' })).toBeVisible();
  location.hash = '#code=abcdefghijkl';
  await expect
    .poll(() => world.asked)
    .toEqual([{ method: 'POST', path: '/api/sign-ins', body: { code: 'abcdefghijkl' } }]);
  expect(location.hash).toBe('');
});
