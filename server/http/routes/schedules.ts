import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

export function scheduleRoutes(router: Router, { schedules }: Pick<RouteDeps, 'schedules'>): void {
  router.on('listSchedules', async ({ owner }) => ({ schedules: await schedules.list(owner) }));
  router.on('createSchedule', ({ owner, body }) => schedules.create(owner, body));
  router.on('previewSchedule', async ({ body }) => schedules.preview(body.when, body.timeZone));
  router.on('getSchedule', ({ owner, params }) => schedules.get(owner, params.scheduleId));
  router.on('patchSchedule', ({ owner, params, body }) => schedules.patch(owner, params.scheduleId, body));
  router.on('deleteSchedule', async ({ owner, params }) => {
    await schedules.delete(owner, params.scheduleId);
    return undefined;
  });
  router.on('pauseSchedule', ({ owner, params }) => schedules.pause(owner, params.scheduleId));
  router.on('resumeSchedule', ({ owner, params }) => schedules.resume(owner, params.scheduleId));
  router.on('runSchedule', ({ owner, params }) => schedules.runNow(owner, params.scheduleId));
  router.on('listScheduleRuns', ({ owner, params, query }) => schedules.runs(owner, params.scheduleId, query));
}
