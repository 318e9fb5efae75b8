import { z } from 'zod';
import { Id } from '../names.ts';
import { PushKey, PushSubscription, PushSubscriptionList, SubscribeToPush } from '../push.ts';
import type { Route } from './route.ts';

const subscription = { params: z.object({ subscriptionId: Id }) };

export const PUSH_ROUTES = {
  getPushKey: {
    method: 'GET',
    path: '/api/push-key',
    access: 'member',
    summary: 'The key with which browsers subscribe to push notifications',
    status: 200,
    response: PushKey,
  },
  listPushSubscriptions: {
    method: 'GET',
    path: '/api/push-subscriptions',
    access: 'member',
    summary: 'List the devices that are notified',
    status: 200,
    response: PushSubscriptionList,
  },
  subscribeToPush: {
    method: 'POST',
    path: '/api/push-subscriptions',
    access: 'member',
    summary: 'Notify a device when something waits for the person; the same endpoint is one device',
    body: SubscribeToPush,
    status: 201,
    response: PushSubscription,
  },
  unsubscribeFromPush: {
    method: 'DELETE',
    path: '/api/push-subscriptions/{subscriptionId}',
    access: 'member',
    summary: 'Stop notifying a device',
    ...subscription,
    status: 204,
  },
  testPush: {
    method: 'POST',
    path: '/api/push-subscriptions/{subscriptionId}/test',
    access: 'member',
    summary: 'Send a notification to a device now',
    ...subscription,
    status: 200,
    response: PushSubscription,
  },
} as const satisfies Record<string, Route>;
