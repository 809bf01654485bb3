// SPDX-License-Identifier: GPL-2.0
/*
 * Doubt: a device says that it is lost, or does not know an object of its own.
 *
 * One answer is not believed alone, as it fails a call and no more.  The device is asked
 * for a context: what refuses that as lost has nothing for anybody until it is reset.
 * Not every transport can say so by DEVICE_NEEDS_RESET.
 */
#include "virtio.h"

static void vacc_doubt_work(struct work_struct *work)
{
	struct vacc_session *session = container_of(work, struct vacc_session,
						    doubt_work);
	unsigned long flags;
	void *context;
	u16 status;

	status = vacc_vio_ops.context_create(session, &context);
	if (status == VIRTIO_ACCEL_S_OK)
		vacc_vio_ops.context_destroy(session, context);
	else if (status == VIRTIO_ACCEL_S_DEVICE_LOST)
		vacc_session_fail(session);
	spin_lock_irqsave(&session->lock, flags);
	session->doubted = false;
	spin_unlock_irqrestore(&session->lock, flags);
}

/**
 * vacc_doubt_init() - prepare to ask
 * @session: the session
 *
 * Context: any.
 */
void vacc_doubt_init(struct vacc_session *session)
{
	INIT_WORK(&session->doubt_work, vacc_doubt_work);
}

/**
 * vacc_doubt() - find out whether a device is lost
 * @session: the session
 *
 * Answers to the question raise no other, so that a device cannot keep us asking.
 *
 * Context: any, under no lock of the session.
 */
void vacc_doubt(struct vacc_session *session)
{
	unsigned long flags;

	spin_lock_irqsave(&session->lock, flags);
	if (!session->doubted && !session->failed && !session->dying) {
		session->doubted = true;
		/* Under the lock: nothing is queued once the session is dying. */
		queue_work(vacc_reset_wq, &session->doubt_work);
	}
	spin_unlock_irqrestore(&session->lock, flags);
}

/**
 * vacc_doubt_stop() - do not ask any more
 * @session: the session, which is dying
 *
 * Context: may sleep.
 */
void vacc_doubt_stop(struct vacc_session *session)
{
	cancel_work_sync(&session->doubt_work);
}
