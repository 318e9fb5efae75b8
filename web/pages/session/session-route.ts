import { getRouteApi } from '@tanstack/react-router';

export const sessionRoute = getRouteApi('/sessions/$sessionId');
