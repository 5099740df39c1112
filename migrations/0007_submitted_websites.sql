DROP INDEX "audit_at";--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "website_key" text;--> statement-breakpoint
UPDATE "submissions" SET "website_key" = coalesce((SELECT "website_key" FROM "tools" WHERE "tools"."id" = "submissions"."tool_id"), '');--> statement-breakpoint
ALTER TABLE "submissions" ALTER COLUMN "website_key" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_subject" ON "audit" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "tools_slug_beginning" ON "tools" USING btree ("slug" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "submissions_partner_website" ON "submissions" USING btree ("partner_id","website_key");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("event_id","created_at");
