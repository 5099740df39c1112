CREATE INDEX "tools_created" ON "tools" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "listing_health_since" ON "listing_health" USING btree ("since" DESC NULLS LAST,"listing_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "proposals_tool" ON "proposals" USING btree ("tool_id") WHERE "proposals"."tool_id" is not null;