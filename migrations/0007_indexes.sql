DROP INDEX "audit_at";--> statement-breakpoint
CREATE INDEX "audit_subject" ON "audit" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "tools_slug_beginning" ON "tools" USING btree ("slug" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("event_id","created_at");