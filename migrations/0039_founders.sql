CREATE TABLE "claims" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"tool_id" text NOT NULL,
	"token" text NOT NULL,
	"method" text,
	"proven_at" timestamp with time zone,
	"checked_at" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"next_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "founder_products" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"website" text NOT NULL,
	"website_key" text NOT NULL,
	"state" text NOT NULL,
	"step" text NOT NULL,
	"fields" json NOT NULL,
	"sources" json NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"suspicions" text[] DEFAULT '{}' NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"times_sent" integer DEFAULT 0 NOT NULL,
	"tool_id" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	"decided_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "founder_products" ADD CONSTRAINT "founder_products_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "founder_products" ADD CONSTRAINT "founder_products_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "claims_user_tool" ON "claims" USING btree ("user_id","tool_id");--> statement-breakpoint
CREATE INDEX "claims_tool" ON "claims" USING btree ("tool_id");--> statement-breakpoint
CREATE INDEX "claims_next" ON "claims" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "founder_products_user" ON "founder_products" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "founder_products_state" ON "founder_products" USING btree ("state","sent_at");--> statement-breakpoint
CREATE INDEX "founder_products_website" ON "founder_products" USING btree ("website_key");--> statement-breakpoint
CREATE INDEX "founder_products_tool" ON "founder_products" USING btree ("tool_id");